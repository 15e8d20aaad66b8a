"""The episode loop: schedulers, clocks, mailboxes, tool host, record and replay."""
