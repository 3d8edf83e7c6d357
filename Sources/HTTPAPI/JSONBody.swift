import Foundation
import Hummingbird
import Support

extension APIContext {
  /// The maximum size of a JSON body in bytes.
  private static let jsonLimit = 64 * 1024

  /// Decodes the JSON body of a request. Throws 413, 415, or 422 with the location of the error.
  func json<Body: Decodable>(_ type: Body.Type, from request: Request) async throws -> Body {
    let mediaType = request.headers[.contentType]?.lowercased() ?? ""
    guard mediaType.hasPrefix("application/json") else { throw APIError.notJSON }
    let announced = request.headers[.contentLength].flatMap { Int($0) } ?? 0
    guard announced <= Self.jsonLimit else { throw APIError.jsonTooLarge }
    try await sendContinue(for: request)
    var data = Data()
    for try await chunk in request.body {
      guard data.count + chunk.readableBytes <= Self.jsonLimit else { throw APIError.jsonTooLarge }
      data.append(contentsOf: chunk.readableBytesView)
    }
    return try Self.decoded(type, from: data)
  }

  /// Decodes a JSON value. Throws 422 with the location of the error.
  static func decoded<Body: Decodable>(_ type: Body.Type, from data: Data) throws -> Body {
    var bounds = JSONBounds()
    do throws(JSONBounds.Excess) { try bounds.check(data) } catch { throw APIError(error) }
    do {
      return try JSONDecoder().decode(SpelledBody<Body>.self, from: data).body
    } catch let error as DecodingError {
      throw APIError(error)
    }
  }
}

/// A JSON body that ignores unknown fields, except misspelled ones.
protocol HasOptionalFields {
  /// The names of all fields of the body.
  static var fieldNames: [String] { get }
}

/// Decodes a body after a check of its fields' names.
private struct SpelledBody<Body: Decodable>: Decodable {
  let body: Body

  init(from decoder: any Decoder) throws {
    if let known = (Body.self as? any HasOptionalFields.Type)?.fieldNames,
      let fields = try? decoder.container(keyedBy: AnyField.self)
    {
      try APIError.rejectMisspelled(fields.allKeys.map(\.stringValue).sorted(), known: known)
    }
    body = try Body(from: decoder)
  }
}

extension Decoder {
  /// Throws 422 if the object has a field that is not known, with a suggestion if its name is similar to a known one.
  ///
  /// - Parameter thing: The name of the object, as the beginning of a sentence.
  func requireFields(_ known: [String], of thing: String) throws {
    let names = try container(keyedBy: AnyField.self).allKeys.map(\.stringValue)
    guard let other = names.sorted().first(where: { !known.contains($0) }) else { return }
    let advice = Spelling.advice(for: other, among: known)
    throw APIError(
      .invalidParameter,
      "There is no field `\(other.shown)`.\(advice) \(thing) has \(known.joined(separator: ", ")).")
  }
}

/// The name of any field.
private struct AnyField: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension APIError {
  fileprivate static let jsonTooLarge = APIError(.bodyTooLarge, "The JSON is larger than 64 KB.")

  fileprivate init(_ excess: JSONBounds.Excess) {
    switch excess {
    case .depth(let most): self.init(.invalidJSON, "The JSON is nested deeper than \(most) levels.")
    case .name(let most): self.init(.invalidJSON, "The name of a field is longer than \(most) bytes.")
    case .repeated(let name):
      self.init(.invalidJSON, "`\(name.shown)` appears twice in an object. Send each field once.")
    case .values(let most): self.init(.invalidJSON, "The JSON has more than \(most) values.")
    }
  }

  /// Creates the error for a decoding error.
  ///
  /// - Parameter field: The field whose value was decoded; empty for the whole body.
  init(_ error: DecodingError, in field: String = "") {
    /// Formats a path as clients write it: `bounding_boxes[0][1]`.
    func name(_ path: [any CodingKey]) -> String {
      path.reduce(field) { name, key in
        if let index = key.intValue { return "\(name)[\(index)]" }
        return name.isEmpty ? key.stringValue : "\(name).\(key.stringValue)"
      }
    }
    let detail: String
    switch error {
    case .keyNotFound(let key, let context): detail = "`\(name(context.codingPath + [key]))` is missing."
    case .typeMismatch(let type, let context) where !name(context.codingPath).isEmpty:
      detail = "`\(name(context.codingPath))` must be \(Self.words(for: type))."
    case .valueNotFound(_, let context) where !name(context.codingPath).isEmpty:
      detail = "`\(name(context.codingPath))` must not be null."
    default:
      detail =
        field.isEmpty ? "The body is not a JSON object with the expected fields." : "`\(field)` is not valid JSON."
    }
    self.init(.invalidJSON, detail)
  }

  /// What a client must send for a value of a type.
  private static func words(for type: Any.Type) -> String {
    switch type {
    case is String.Type: "text"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is [Any].Type: "a list"
    case is [String: Any].Type: "an object"
    default: "of another type"
    }
  }
}
