"""OmniPlay: five games over image, video, audio and text."""
