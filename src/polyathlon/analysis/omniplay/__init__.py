"""What OmniPlay computes from traces: NPS, efficiency, verdicts, memory, tournaments."""
