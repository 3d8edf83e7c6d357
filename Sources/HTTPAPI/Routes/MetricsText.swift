import Hummingbird

/// `GET /metrics`: what a monitoring system collects, in Prometheus' text form.
struct MetricsText: Sendable {
  let requests: RequestMetrics
  let services: APIServices

  var endpoint: Endpoint {
    Endpoint(.get, "/metrics", scope: .read) { _, _ in
      let text = requests.text() + PrometheusText.text(try await services.metrics())
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
  }
}
