import Foundation

/// Checks JSON against a schema of the OpenAPI description: types, required and unknown fields, enumerations, ranges. It
/// supports the part of JSON Schema that the description uses, and an undescribed field is an error.
struct JSONShape {
  let description: [String: Any]

  /// The problems of a value, each with its place.
  func problems(of value: Any, against schema: [String: Any], at place: String = "$") -> [String] {
    if let reference = schema["$ref"] as? String { return problems(of: value, against: resolve(reference), at: place) }
    if let choices = schema["anyOf"] as? [[String: Any]] {
      let all = choices.map { problems(of: value, against: $0, at: place) }
      return all.contains(where: \.isEmpty) ? [] : all.joined() + []
    }
    if let constant = schema["const"] as? String {
      return value as? String == constant ? [] : ["\(place) is not \(constant)"]
    }
    if let allowed = schema["enum"] as? [Any] {
      return allowed.contains { ($0 as? NSObject) == (value as? NSObject) } ? [] : ["\(place) is \(value)"]
    }
    let types = (schema["type"] as? [String]) ?? [schema["type"] as? String].compactMap { $0 }
    guard let type = types.first(where: { matches(value, $0) }) else { return ["\(place) is no \(types): \(value)"] }
    switch type {
    case "object": return objectProblems(value as? [String: Any] ?? [:], schema, place)
    case "array":
      guard let items = schema["items"] as? [String: Any], let values = value as? [Any] else { return [] }
      return values.enumerated().flatMap { problems(of: $1, against: items, at: "\(place)[\($0)]") }
    case "integer", "number":
      let number = (value as? NSNumber)?.doubleValue ?? 0
      let least = (schema["minimum"] as? NSNumber)?.doubleValue ?? -.infinity
      let most = (schema["maximum"] as? NSNumber)?.doubleValue ?? .infinity
      return (least...most).contains(number) ? [] : ["\(place) is \(number)"]
    default: return []
    }
  }

  func resolve(_ reference: String) -> [String: Any] {
    reference.split(separator: "/").dropFirst().reduce(description) { $0[String($1)] as? [String: Any] ?? [:] }
  }

  private func objectProblems(_ object: [String: Any], _ schema: [String: Any], _ place: String) -> [String] {
    if let values = schema["additionalProperties"] as? [String: Any] {
      return object.flatMap { problems(of: $0.value, against: values, at: "\(place).\($0.key)") }
    }
    guard let properties = schema["properties"] as? [String: [String: Any]] else { return [] }
    let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }.map {
      "\(place).\($0) is missing"
    }
    return missing
      + object.flatMap { key, value in
        properties[key].map { problems(of: value, against: $0, at: "\(place).\(key)") }
          ?? ["\(place).\(key) is not described"]
      }
  }

  private func matches(_ value: Any, _ type: String) -> Bool {
    let number = value as? NSNumber
    let isBoolean = number.map { CFGetTypeIDName($0) == "Bool" } ?? false
    return switch type {
    case "null": value is NSNull
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "boolean": isBoolean
    case "integer": number.map { !isBoolean && $0.doubleValue == $0.doubleValue.rounded() } ?? false
    default: number != nil && !isBoolean
    }
  }

  /// `Bool` for a JSON truth value: Foundation keeps it in an NSNumber whose C type is a character.
  private func CFGetTypeIDName(_ number: NSNumber) -> String {
    String(cString: number.objCType) == "c" ? "Bool" : "Number"
  }
}
