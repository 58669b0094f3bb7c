"""LongMemEval: questions over many sessions with an assistant, as published or rebuilt from their evidence."""
