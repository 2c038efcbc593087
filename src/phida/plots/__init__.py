"""Pictures. matplotlib is imported here and nowhere else; what is drawn comes in as arrays and records."""
