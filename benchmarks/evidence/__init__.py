"""What the retrieval benchmarks share: turns and questions with the turns that answer them, asking a memory, scoring."""
