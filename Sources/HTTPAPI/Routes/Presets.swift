import Hummingbird

/// `GET /params`: the presets as configured.
struct Presets: Sendable {
  struct Answer: Codable {
    struct Preset: Codable {
      var description: String
      var parameters: [String: Double]
    }

    var presets: [String: Preset]
  }

  let configuration: APIConfiguration

  var endpoint: Endpoint {
    Endpoint(
      .get, "/params", "ListThePresets", "List the presets", "As they are configured.", topic: .settings, access: .any,
      answers: [.json(Answer.self)]
    ) { _, _ in
      .json(
        Answer(
          presets: Dictionary(
            configuration.settings.presets.map {
              ($0.key.rawValue, Answer.Preset(description: $0.value.description, parameters: $0.value.parameters))
            }, uniquingKeysWith: { first, _ in first })))
    }
  }
}

extension Presets.Answer: WireObject {
  static let wireName = "Presets"
}

extension Presets.Answer.Preset: WireObject {
  static let wireName = "PresetParameters"
}
