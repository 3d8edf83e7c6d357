import CTesseract
import CTesseractLattice
import EmbeddedFiles
import Imaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tesseract's line recogniser, kept initialised with one model. Confined to one thread.
///
/// Reads single lines of text, dark on light, with capitals about 24 pixels high, without a dictionary.
public final class TextEngine {
  /// Why an engine could not start.
  public enum StartError: Error, Sendable, Equatable {
    /// Tesseract rejected the model of this name.
    case modelRefused(String)
  }

  /// The model that an engine loads.
  public enum Model: Sendable, Equatable {
    /// The serial model embedded in the binary.
    case embedded
    /// Another model embedded in the binary, for a second opinion.
    case second
  }

  /// The version of Tesseract at run time.
  package static var libraryVersion: String { TessVersion().map { String(cString: $0) } ?? "of no version" }

  /// The engine of the second model, started on first use; nil if it could not start.
  public private(set) lazy var second = try? TextEngine(model: .second)

  private let api: OpaquePointer
  private let keepsLattice: Bool
  private let monitor: OpaquePointer?

  /// Starts an engine.
  ///
  /// - Throws: `StartError.modelRefused`.
  public init(model: Model = .embedded) throws(StartError) {
    guard let api = TessBaseAPICreate() else { throw .modelRefused("any") }
    let file = model == .embedded ? serialscan_embedded_model() : serialscan_embedded_second_model()
    guard Self.start(api, UnsafeBufferPointer(start: file.bytes, count: file.size)) == 0 else {
      TessBaseAPIDelete(api)
      throw .modelRefused(String(cString: file.name))
    }
    TessBaseAPISetPageSegMode(api, PSM_RAW_LINE)
    // 1 keeps the probabilities of each time step; only readers with the embedded model use them.
    keepsLattice = model == .embedded
    if keepsLattice {
      TessBaseAPISetVariable(api, "lstm_choice_mode", "1")
      // Further searches for the choices of whole characters, five unless told otherwise, which nobody uses.
      TessBaseAPISetVariable(api, "lstm_choice_iterations", "0")
    }
    self.api = api
    monitor = TessMonitorCreate()
  }

  deinit {
    if let monitor { TessMonitorDelete(monitor) }
    TessBaseAPIEnd(api)
    TessBaseAPIDelete(api)
  }

  /// The total columns of all lines read so far, as a measure of work.
  package private(set) var columnsRead = 0

  /// Milliseconds after which the recogniser stops at its next check.
  private static let deadline: Int32 = 60_000

  /// Reads a picture as one line, dark on light; an empty line if nothing was recognised.
  public func read(_ picture: GrayPicture) -> TextLine {
    guard picture.width >= 3, picture.height >= 3, Self.hasContrast(picture) else { return TextLine(symbols: []) }
    columnsRead &+= picture.width
    if let monitor { TessMonitorSetDeadlineMSecs(monitor, Self.deadline) }
    let status = picture.pixels.withUnsafeBufferPointer { pixels in
      TessBaseAPISetImage(
        api, pixels.baseAddress, Int32(picture.width), Int32(picture.height), 1, Int32(picture.width))
      TessBaseAPISetSourceResolution(api, 300)
      return TessBaseAPIRecognize(api, monitor)
    }
    guard status == 0, let iterator = TessBaseAPIGetIterator(api) else { return TextLine(symbols: []) }
    defer { TessResultIteratorDelete(iterator) }
    let symbols = Self.symbols(iterator)
    return TextLine(symbols: symbols, lattice: symbols.isEmpty ? nil : lattice(symbolCount: symbols.count))
  }

  /// The most choices kept of a line's time steps: about five for each of the 2,700 steps of the widest cut.
  private static let mostChoices = 16_384

  /// The probabilities of the line just read.
  private func lattice(symbolCount: Int) -> CharacterLattice? {
    guard keepsLattice, let iterator = TessBaseAPIGetIterator(api) else { return nil }
    defer { TessResultIteratorDelete(iterator) }
    return withUnsafeTemporaryAllocation(of: serialscan_lattice_choice.self, capacity: Self.mostChoices) { room in
      let count = serialscan_lattice(UnsafeMutableRawPointer(iterator), room.baseAddress, Int32(room.count))
      guard count > 0 else { return nil }
      var parts: [[CharacterLattice.Step]] = []
      var (word, part, step): (Int32, Int32, Int32) = (-1, -1, -1)
      for choice in room.prefix(Int(count)) {
        if (choice.word, choice.part) != (word, part) {
          parts.append([])
          step = -1
        }
        if choice.step != step { parts[parts.count - 1].append([]) }
        let last = parts[parts.count - 1].count - 1
        parts[parts.count - 1][last].append(CharacterLattice.Choice(choice.character, choice.probability))
        (word, part, step) = (choice.word, choice.part, choice.step)
      }
      return CharacterLattice.assembled(parts, symbolCount: symbolCount)
    }
  }

  /// Whether the picture has contrast. The recogniser hallucinates characters on an even ground.
  private static func hasContrast(_ picture: GrayPicture) -> Bool {
    let range = picture.pixels.reduce((least: UInt8.max, greatest: UInt8.min)) {
      (min($0.least, $1), max($0.greatest, $1))
    }
    return range.greatest >= range.least && range.greatest - range.least >= leastContrast
  }

  /// The least difference between the darkest and the lightest pixel, 0...255, of a picture that is not blank. Readers'
  /// crops are stretched to the whole range.
  private static let leastContrast: UInt8 = 4

  private static func symbols(_ iterator: OpaquePointer) -> [Symbol] {
    var symbols: [Symbol] = []
    var followsBlank = false
    let place = TessResultIteratorGetPageIterator(iterator)
    repeat {
      guard let text = TessResultIteratorGetUTF8Text(iterator, RIL_SYMBOL) else { continue }
      defer { TessDeleteText(text) }
      // A space at the start of a line is returned as a symbol.
      guard let character = String(cString: text).first, !character.isWhitespace else {
        followsBlank = true
        continue
      }
      defer { followsBlank = false }
      var (left, top, right, bottom): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
      TessPageIteratorBoundingBox(place, RIL_SYMBOL, &left, &top, &right, &bottom)
      symbols.append(
        Symbol(
          character: character, confidence: TessResultIteratorConfidence(iterator, RIL_SYMBOL), left: Int(left),
          right: Int(right), startsWord: followsBlank || TessPageIteratorIsAtBeginningOf(place, RIL_WORD) != 0))
    } while TessResultIteratorNext(iterator, RIL_SYMBOL) != 0
    return apart(symbols)
  }

  /// Mends the boxes of symbols to which Tesseract gave the ink of following words, which happens to the last symbol of a
  /// word: one that extends beyond the end of the next symbol ends where that begins, and one that begins in the next
  /// symbol takes half of the box before it, in which its own ink is then.
  package static func apart(_ symbols: [Symbol]) -> [Symbol] {
    var symbols = symbols
    for (index, next) in symbols.enumerated().dropFirst() {
      let last = index - 1
      if symbols[last].right > next.right, next.left > symbols[last].left { symbols[last].right = next.left }
      guard next.startsWord, !symbols[last].startsWord, symbols[last].left >= next.left, last > 0,
        symbols[last - 1].right <= next.left
      else { continue }
      let middle = (symbols[last - 1].left + symbols[last - 1].right) / 2
      (symbols[last].left, symbols[last].right) = (middle, symbols[last - 1].right)
      symbols[last - 1].right = middle
    }
    return symbols
  }

  /// Initialises Tesseract without dictionaries, since serials are not words, and discards debugging output.
  private static func start(_ api: OpaquePointer, _ model: UnsafeBufferPointer<UInt8>) -> Int32 {
    let settings = [
      ("load_system_dawg", "0"), ("load_freq_dawg", "0"), ("load_punc_dawg", "0"), ("load_number_dawg", "0"),
      ("debug_file", "/dev/null"),
    ]
    var names = settings.map { strdup($0.0) }
    var values = settings.map { strdup($0.1) }
    defer { (names + values).forEach { free($0) } }
    return model.withMemoryRebound(to: CChar.self) { bytes in
      TessBaseAPIInit5(
        api, bytes.baseAddress, Int32(bytes.count), "serial", OEM_LSTM_ONLY, nil, 0, &names, &values, settings.count, 0)
    }
  }
}
