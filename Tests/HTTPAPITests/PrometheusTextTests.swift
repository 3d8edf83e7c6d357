import Support
import Testing

/// Covers Prometheus' text format: grouping by metric, whole numbers, cumulative buckets, untrusted labels.
@Suite struct PrometheusTextTests {
  @Test func histogramsAreCumulative() {
    var times = DurationHistogram()
    for seconds in [0.004, 0.5, 100, -1, .nan] { times.add(seconds: seconds) }
    let text = PrometheusText.text([
      MetricSample("a_total", help: "A.", labels: ["x": "1"], .counter(3)),
      MetricSample("b_seconds", help: "B.", labels: ["stage": "queue"], .histogram(times)),
      MetricSample("a_total", help: "A.", labels: ["x": "2"], .counter(0.5)),
    ])
    let lines = text.split(separator: "\n").map(String.init)
    #expect(
      lines.prefix(4) == ["# HELP a_total A.", "# TYPE a_total counter", "a_total{x=\"1\"} 3", "a_total{x=\"2\"} 0.5"])
    #expect(lines.contains("# TYPE b_seconds histogram"))
    #expect(lines.contains("b_seconds_bucket{le=\"0.001\",stage=\"queue\"} 2"))
    #expect(lines.contains("b_seconds_bucket{le=\"0.005\",stage=\"queue\"} 3"))
    #expect(lines.contains("b_seconds_bucket{le=\"60.0\",stage=\"queue\"} 4"))
    #expect(lines.contains("b_seconds_bucket{le=\"+Inf\",stage=\"queue\"} 5"))
    #expect(lines.contains("b_seconds_count{stage=\"queue\"} 5"))
    #expect(lines.contains("b_seconds_sum{stage=\"queue\"} 100.504"))
  }

  @Test(arguments: [(Double.infinity, "+Inf"), (-Double.infinity, "-Inf"), (Double.nan, "NaN"), (1e300, "1e+300")])
  func writesNaNAndInfinityForPrometheus(value: Double, text: String) {
    #expect(PrometheusText.text([MetricSample("a", help: "A.", .gauge(value))]).hasSuffix("\na \(text)\n"))
  }

  @Test func escapesLabelValues() {
    let text = PrometheusText.text([
      MetricSample("a", help: "A.", labels: ["x": "a\"} 1\nforged{y=\"\\"], .gauge(1))
    ])
    #expect(text.hasSuffix("a{x=\"a\\\"} 1\\nforged{y=\\\"\\\\\"} 1\n"))
    #expect(text.split(separator: "\n").count == 3)
  }
}
