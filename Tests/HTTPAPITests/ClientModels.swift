import Foundation

/// Strict copies of the models that clients decode: a missing or mistyped field is an error, and `null` is allowed only
/// for optional fields. The names are those of the JSON.
enum ClientModels {
  enum Status: String, Decodable {
    case queued, processing, completed, failed
  }

  struct Scan: Decodable {
    var job_id: UUID
    var status: Status
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

  /// The response of `/process-serial`, as the second version of the app decodes it.
  struct Processed: Decodable {
    var serial: String
    var confidence: Double
    var device_type: String
    var is_valid: Bool
    var debug_image_path: Required<String>
  }

  struct Params: Decodable {
    struct Preset: Decodable {
      var description: String
      var parameters: [String: Double]
    }

    struct Presets: Decodable {
      var etched: Preset
      var screen: Preset
      var sticker: Preset
    }

    var presets: Presets
  }

  struct Evaluation: Decodable {
    struct Row: Decodable {
      var filename: String
      var expected: String
      var predicted: Required<String>
      var is_hit: Bool
      var error: Required<String>
    }

    var dataset: String
    var total: Int
    var detected: Int
    var hits: Int
    var misreads: Int
    var detection_rate_pct: Double
    var accuracy_pct_overall: Double
    var accuracy_pct_on_detected: Double
    var strict_validation_passes: Int
    var high_confidence_count: Int
    var high_confidence_hits: Int
    var high_confidence_accuracy_pct: Double
    var csv_path: String
    var summary_path: String
    var rows: [Row]
  }

  /// The response to a serial that was read on a device.
  struct Saved: Decodable {
    var success: Bool
    var serial_id: Int
    var message: String
    var validation_passed: Bool
    var confidence_acceptable: Bool
    var timestamp: Date
  }

  struct Failure: Decodable {
    var detail: String
    var error_code: String
    var status_code: Int
  }

  /// A field that must exist, but may be null.
  struct Required<Value: Decodable>: Decodable {
    var value: Value?

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      value = container.decodeNil() ? nil : try container.decode(Value.self)
    }
  }

  /// Decodes as the app does: times by Foundation's ISO 8601 strategy, which rejects fractions of a second.
  static func decode<Model: Decodable>(_ type: Model.Type, _ data: Data) throws -> Model {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(type, from: data)
  }
}
