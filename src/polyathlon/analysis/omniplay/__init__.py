"""What OmniPlay computes from traces: NPS, efficiency, verdicts, cues, memory, tournaments."""
