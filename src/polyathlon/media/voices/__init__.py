"""Speech engines behind one door: `speak(words)` gives mono int16 PCM at 16 kHz."""
