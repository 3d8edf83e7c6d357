import Foundation

/// Strict copies of the models that clients decode: a missing or mistyped field is an error, `null` only where the
/// model says so. The names are the wire's.
enum ClientModels {
  struct Scan: Decodable {
    var job_id: UUID
    var status: String
    var message: String
    var queue_position: Int
    var estimated_wait_time: String
    var check_status_url: String
  }

  struct Result: Decodable {
    struct Results: Decodable {
      struct Serial: Decodable {
        var serial: String
        var confidence: Double
        var method: String
        var roi_index: Required<Int>
      }

      struct Top: Decodable {
        var serial: String
        var confidence: Double
      }

      var serials: [Serial]
      var top_result: Top
      var total_detected: Int
      var processing_time: Double
      var fallback_used: Bool
      var strategy_used: String
      var saved_to_database: Bool
    }

    enum Status: String, Decodable {
      case queued, processing, completed, failed
    }

    var job_id: UUID
    var status: Status
    var progress: Int
    var message: String
    var created_at: Date
    var updated_at: Date
    var error: Required<String>
    var results: Required<Results>
  }

  struct Health: Decodable {
    var status: String
    var timestamp: Date
    var version: String
    var gpu_available: Bool
  }

  struct Failure: Decodable {
    var detail: String
    var error_code: String
    var status_code: Int
  }

  /// A field that must be there, though it may be null.
  struct Required<Value: Decodable>: Decodable {
    var value: Value?

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      value = container.decodeNil() ? nil : try container.decode(Value.self)
    }
  }

  /// As the app does it: times by Foundation's ISO 8601 strategy, which takes no fractions of a second.
  static func decode<Model: Decodable>(_ type: Model.Type, _ data: Data) throws -> Model {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(type, from: data)
  }
}
