"""From a question to an answer: what is asked, of which moment, and what the memory holds about it."""
