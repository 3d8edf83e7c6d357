import Foundation

/// A page of a list.
public struct Page<Item: Sendable>: Sendable {
  /// The items, in the list's order.
  public var items: [Item]
  /// The cursor of the next page; nil at the end of the list. Opaque to clients.
  public var nextCursor: String?

  /// Creates a page.
  public init(items: [Item], nextCursor: String?) {
    self.items = items
    self.nextCursor = nextCursor
  }
}

extension Page: Equatable where Item: Equatable {}

/// A cursor this list did not issue.
public struct InvalidCursor: Error, Equatable, Sendable {
  /// Creates the error.
  public init() {}
}

/// The position after a row: its value in the list's order, and its number, which breaks ties.
package struct Cursor: Codable {
  /// The row's value in the order.
  package var value: Value
  /// The row's number.
  package var number: Int64
  /// The order it belongs to, so that it is not used as a position in a different order.
  package var order: String

  /// A value of one of the orders.
  package enum Value: Codable {
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes(Data)
    case nothing
  }

  /// The cursor as sent to clients: its JSON in base64url and a checksum, so that a mistyped cursor is rejected.
  package var text: String {
    let data = (try? JSONEncoder().encode(self)) ?? Data()
    let base64 = data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    return "\(base64).\(Self.sum(of: base64))"
  }

  /// A checksum: FNV-1a (32 bit) of the text with a prefix specific to this program.
  private static func sum(of text: some StringProtocol) -> String {
    var hash: UInt32 = 0x811c_9dc5
    for byte in "serialscan cursor \(text)".utf8 { hash = (hash ^ UInt32(clamping: byte)) &* 0x0100_0193 }
    return String(hash, radix: 16)
  }

  /// Whether PostgreSQL accepts the value: it stores no NUL.
  private var isStorable: Bool {
    if case .text(let text) = value { !text.utf8.contains(0) } else { true }
  }

  /// Creates a position.
  package init(value: Value, number: Int64, order: String) {
    self.value = value
    self.number = number
    self.order = order
  }

  /// Decodes `text`. Throws `InvalidCursor`.
  package init(_ text: String, order: String) throws {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count < 2048, parts.count == 2, parts[1] == Self.sum(of: parts[0]) else { throw InvalidCursor() }
    var base64 = String(parts[0]).replacing("-", with: "+").replacing("_", with: "/")
    base64 += String(repeating: "=", count: max(0, (4 - base64.utf8.count % 4) % 4))
    guard let data = Data(base64Encoded: base64), let cursor = try? JSONDecoder().decode(Cursor.self, from: data),
      cursor.order == order, cursor.isStorable
    else { throw InvalidCursor() }
    self = cursor
  }
}
