import Support

/// A device type as a client sent it, without surrounding blanks and line ends, so that lists and filters show one type
/// once, however it was entered.
@propertyWrapper
public struct DeviceTypeText: Sendable, Equatable {
  private var text: String?

  /// The trimmed text.
  public var wrappedValue: String? {
    get { text }
    set { text = newValue?.trimmed }
  }

  /// Creates a device type.
  public init(wrappedValue: String?) { text = wrappedValue?.trimmed }
}
