import AppleSerial
import Imaging
import ReaderProtocol
import TextReading

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads the serial in a photo. Keeps its engines warm; belongs to one thread.
public final class SerialReader {
  private let engine: TextEngine

  /// Starts a reader with its engines.
  ///
  /// - Throws: `ReadFailure` of code `readerUnavailable` where the text model can't be loaded.
  public init() throws(ReadFailure) {
    do throws(TextEngine.StartError) {
      engine = try TextEngine()
    } catch {
      throw ReadFailure(.readerUnavailable, "The text model could not be loaded. Install the program again.")
    }
  }

  /// Reads one photo.
  public func read(_ request: ReadRequest, progress: (ReadProgress) -> Void) throws(ReadFailure) -> Reading {
    let cpu = clock()
    let photo = try Photo(path: request.photoPath, pixelLimit: request.pixelLimit)
    let pass = EtchedTextPass(finder: TextLineFinder(), engine: engine, strategy: "text")
    let o = pass.run(try photo.reduced(), polarity: .dark)
    let serials = o.candidates.map {
      SerialRead(
        serial: $0.serial, confidence: $0.confidence, method: $0.method.rawValue, strategy: $0.strategy,
        roiIndex: $0.roiIndex, region: $0.region, isValid: SerialNumber($0.serial) != nil)
    }
    return Reading(
      verdict: .uncertain, serials: serials, preset: .etched, presetWasDetected: false, strategyUsed: "text",
      fallbackUsed: false,
      trace: [
        StrategyTrace(
          strategy: "text", seconds: Double(clock() - cpu) / 1e6, outcome: "lines \(o.lines) read \(o.linesRead)")
      ], notes: [], photoSize: PixelSize(width: photo.file.header.width, height: photo.file.header.height),
      processingTime: 0, cpuTime: Double(clock() - cpu) / 1e6)
  }
}
