import AppleSerial
import Imaging
import ScanModel
import TextReading

/// Reads the text around a serial that would be shown, to find the maker of its device. Other makers' labels say `S/N`
/// too, and some of their serials fit Apple's formats.
struct MakerSearch {
  let photo: Photo
  let engine: TextEngine
  let observer: LineObserver?

  /// The most lines read, nearest first, and their heights of capitals as ratios to the serial's.
  private static let mostLines = 4
  private static let heights: ClosedRange<Double> = 0.5...2
  /// The most length of a line that is read, in heights of capitals.
  private static let longest: Float = 24

  /// Whether a read needs the search: no maker was named yet, and the serial's own beginning does not identify Apple.
  static func concerns(_ read: SerialRead, in photo: Photo) -> Bool {
    photo.textSeen.makers.isSilent && !(SerialNumber(read.serial)?.hasFrequentPlant ?? false)
  }

  /// Reads the lines around a serial until one names a maker.
  ///
  /// - Returns: The number of lines read.
  func run(around region: Quadrilateral) throws(ReadFailure) -> Int {
    guard let place = Sighting(region), let cut = try Surroundings.cut(around: place, in: photo) else { return 0 }
    let polarity = Self.polarity(of: cut.picture)
    let crops = CropReader(
      source: cut, polarity: polarity, engine: engine, observer: observer, textSeen: photo.textSeen)
    for line in Self.lines(around: cut.picture, polarity) where photo.textSeen.makers.isSilent {
      let end = min(line.right, line.left + Self.longest * line.capitalHeight)
      guard let crop = crops.cut(line, line.left - line.capitalHeight...end + line.capitalHeight, LabelReader.variant)
      else {
        continue
      }
      _ = crops.read(crop, LabelReader.variant)
    }
    return crops.linesRead
  }

  /// Whether the serial in the middle of its cut is dark or light.
  private static func polarity(of cut: GrayPicture) -> StrokePolarity {
    let (rows, columns) = (2 * Int(Surroundings.capital), min(cut.width, 8 * Int(Surroundings.capital)))
    let serial = cut.cropped(
      x: (cut.width - columns) / 2, y: (cut.height - rows) / 2, width: columns, height: rows)
    return serial.hasDarkStrokes ? .dark : .light
  }

  /// The lines above and below the serial's own line, which lies in the middle of its cut.
  private static func lines(around cut: GrayPicture, _ polarity: StrokePolarity) -> [TextSegment] {
    guard let threshold = Surroundings.contrasts(polarity).first else { return [] }
    let middle = Float(cut.height) / 2
    let (x, capital) = (Float(cut.width) / 2, Float(Surroundings.capital))
    func drop(_ line: TextSegment) -> Float { abs(line.slope * x + line.offset - middle) }
    let lines = DisplayLineFinder(threshold: threshold, polarity: polarity).levelLines(in: cut)
      .filter { drop($0) > 0.8 * capital && heights.contains(Double($0.capitalHeight / capital)) }
    return Array(lines.sorted { drop($0) < drop($1) }.prefix(mostLines))
  }
}
