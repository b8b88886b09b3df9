"""The page: a report of the memory as one file of HTML that asks for nothing and changes nothing."""
