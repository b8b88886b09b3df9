"""What is wrong in notes, and mending what needs no decision."""
