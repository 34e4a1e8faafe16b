"""The assignment net: a survey of fallen blocks in, which block stood in which slot out."""
