/// Returns a number and what it counts: `1 job`, `2 jobs`.
func counted(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
