"""What the papers of five benchmarks print: figures of scorers and statistics of the data, shipped as facts.

- ProcessBench: Zheng et al., arXiv 2412.06559.
- PRMBench, and PRMBench-STEM in its appendix: Song et al., arXiv 2501.03124.
- Socratic-PRMBench: Li et al., arXiv 2505.23474.
- GR-Ben: Sun et al., arXiv 2605.01203.
- AgentProcessBench: arXiv 2603.14465; the StepAcc that its figure of all judges prints, and FirstErrAcc to one digit as
  its code gives it on the judges' published files, which the paper's table agrees with. `all` is what it calls average.

`figures.csv` has a row a printed cell, with `value` as printed, in percent:

- `paper` is the benchmark's name here, `table` the paper's number; `domain` is PRMBench-STEM's, empty elsewhere.
- `block` is the part of the table: `prm`, `open`, `proprietary`, `llm` (open and proprietary together), `human`,
  `best-of-n`.
- `scorer` is the name as that table prints it; rows such as averages over scorers are kept under their printed names.
- `setting` is what the paper says of how answers were made: `greedy`, `voting@8`, `fast` and `slow` (thinking),
  `0-shot` and so on, `best of 8`, and `best threshold` (of each subset). GR-Ben's language models that its Table 5
  prints both ways are `fast` in its other tables, where these print the same figures.
- `subset` and `metric` are the names that the figure has here; `processbench` is ProcessBench's average, which GR-Ben's
  Tables 3 and 5 print in their column Math.

Rows stand in the papers' order. `statistics.csv` likewise has a row a printed statistic: `group` is `erroneous` or
`clean`, empty for all cases; shares are in percent; `mean_earliest_error` is printed 1-based and 0-based here.
`cases:NAME` counts the solutions of one generator, `share_error_type:NAME` is of erroneous cases.
"""
