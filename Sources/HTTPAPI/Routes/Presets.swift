import Hummingbird

/// `GET /params`: the presets as they are configured.
struct Presets: Sendable {
  struct Answer: Encodable {
    struct Preset: Encodable {
      var description: String
      var parameters: [String: Double]
    }

    var presets: [String: Preset]
  }

  let configuration: APIConfiguration

  var endpoint: Endpoint {
    Endpoint(.get, "/params", access: .any) { _, _ in
      .json(
        Answer(
          presets: Dictionary(
            configuration.presets.map {
              ($0.key.rawValue, Answer.Preset(description: $0.value.description, parameters: $0.value.parameters))
            }, uniquingKeysWith: { first, _ in first })))
    }
  }
}
