"""Cases joined with what a scorer gave, under a decision rule: from step rewards to verdicts, outcomes and figures."""
