import AppleSerial
import BarcodeReading
import ScanModel

/// Finds the fields next to the serial in the text already read of a photo. Reads nothing itself.
package struct FieldFinder {
  private let seen: TextSeen
  /// The lines that end in a field's label, with the kinds that they announce and the end of the label.
  private let labels: [(kinds: Set<DeviceField.Kind>, place: Sighting)]

  package init(_ seen: TextSeen) {
    self.seen = seen
    labels = seen.lines.compactMap { line in
      let kinds = FieldText.kinds(announcedBy: line.text)
      guard !kinds.isEmpty, let place = line.sighting(of: 0..<line.symbols.count) else { return nil }
      return (kinds, place)
    }
  }

  /// All readings of all fields, in pixels of the area that is read.
  package var fields: [FieldRead] {
    let ofLines = seen.lines.flatMap(fields(in:))
    let ofCodes = seen.codes.flatMap(fields(in:))
    let all = ofLines + ofCodes
    // A code identifies a number as an IMEI; only the print next to it says that it is the second one.
    let second = Set(ofLines.filter { $0.field.kind == .imei2 }.map(\.field.text))
    return all.map { found in
      let isSecond = found.field.kind == .imei && !found.isLabelled && second.contains(found.field.text)
      return FieldRead(
        kind: isSecond ? .imei2 : found.field.kind, text: found.field.text, confidence: found.confidence,
        region: found.region, check: found.field.check)
    }
  }

  private struct Found {
    var field: DeviceField
    var isLabelled: Bool
    var confidence: Double
    var region: Quadrilateral?
  }

  private func fields(in line: LineSeen) -> [Found] {
    guard line.text.utf8.contains(where: { (0x30...0x39).contains($0) }) else { return [] }
    return FieldText.fields(in: line.text, announced: kinds(announcing: line)).map { found in
      Found(
        field: found.field, isLabelled: found.support == .labelled,
        confidence: FieldConfidence.ofText(
          found.field, found.support, least: line.leastConfidence(of: found.characters)),
        region: line.region(of: found.characters))
    }
  }

  private func fields(in seen: CodeSeen) -> [Found] {
    (CodePayload(seen.code)?.fields ?? []).filter { $0.role != .serial }.flatMap { field in
      FieldText.fields(
        in: field.text, announced: field.name.isEmpty ? [] : FieldText.kinds(announcedBy: field.name), isCode: true
      ).map { found in
        Found(
          field: found.field, isLabelled: found.support == .labelled,
          confidence: FieldConfidence.ofCode(found.field, found.support), region: seen.region)
      }
    }
  }

  /// The greatest distance of a value after its label in the same row, and below it, in heights of its capitals. About
  /// pages have values at the opposite edge.
  private static let reach = (behind: 60.0, below: 3.6)
  /// The greatest overlap of a value with the label before it, and the greatest distance of its left end from that of
  /// the label above it, in heights of its capitals.
  private static let (overlap, indent) = (0.5, 1.5)
  /// The least distance of a value from a line that may part it from its label, in heights of its capitals.
  private static let leastGap = 0.5

  /// The kinds announced by the label before or above a line.
  private func kinds(announcing line: LineSeen) -> Set<DeviceField.Kind> {
    guard let value = line.sighting(of: 0..<line.symbols.count), let box = PrintedBox(value.region) else { return [] }
    var best: (kinds: Set<DeviceField.Kind>, way: Double)?
    for label in labels {
      let (start, end) = (box.offset(of: label.place.left), box.offset(of: label.place.right))
      guard start.along < end.along, Sighting.alikeHeights.contains(label.place.capital / value.capital) else {
        continue
      }
      let behind = -box.half.along - end.along
      let below = -end.across
      let way: Double
      if abs(end.across) < Sighting.rowTolerance * value.capital, behind > -Self.overlap * value.capital {
        way = behind / value.capital
        guard way < Self.reach.behind else { continue }
      } else if below > value.capital, below < Self.reach.below * value.capital,
        abs(start.along + box.half.along) < Self.indent * value.capital
      {
        way = Self.reach.behind + below / value.capital
      } else {
        continue
      }
      if best.map({ way < $0.way }) ?? true { best = (label.kinds, way) }
    }
    guard let best, best.way >= Self.reach.behind || !isParted(from: box, value, way: best.way) else { return [] }
    return best.kinds
  }

  /// Whether another line lies between a value and the label before it. The label then belongs to that line.
  private func isParted(from box: PrintedBox, _ value: Sighting, way: Double) -> Bool {
    seen.lines.contains { other in
      let end = box.offset(of: other.place.right)
      let start = box.offset(of: other.place.left)
      guard abs(end.across) < Sighting.rowTolerance * value.capital, start.along < end.along else { return false }
      let gap = (-box.half.along - end.along) / value.capital
      return gap > Self.leastGap && gap < way - 1 && FieldText.kinds(announcedBy: other.text).isEmpty
        && (-box.half.along - start.along) / value.capital < way
    }
  }
}

/// The confidence of fields, 0...1.
enum FieldConfidence {
  /// The least confidence of a character on the recogniser's scale, and the approximate share of such values with all
  /// characters right.
  private static let tiers: [(least: Double, share: Double)] = [(0.97, 0.98), (0.93, 0.95), (0.85, 0.88), (0.7, 0.7)]
  private static let shareBelow = 0.4
  /// The share of a doubt that remains with valid check digits. One in ten wrong numbers passes the check of IMEIs and
  /// trade items by chance.
  private static let doubtOfChecked = 0.1
  /// The share of the confidence that remains with invalid check digits: a character is wrong, or the value is another
  /// number.
  private static let shareOfUnchecked = 0.3

  /// The confidence of a printed value.
  static func ofText(_ field: DeviceField, _ support: FieldText.Support, least: Double) -> Double {
    let share = tiers.first { least >= $0.least }?.share ?? shareBelow
    let read =
      switch field.check {
      case true?: 1 - (1 - share) * doubtOfChecked
      case false?: share * shareOfUnchecked
      case nil: share
      }
    return read * weight(support)
  }

  /// The confidence of a value in a code, that with invalid check digits, and the share that remains without a label.
  private static let codes = (read: 0.998, unchecked: 0.5, unlabelled: 0.99)
  /// The share of the confidence of a printed value that remains without a label.
  private static let weights = (form: 0.95, implied: 0.9)

  /// The confidence of a value in a code.
  static func ofCode(_ field: DeviceField, _ support: FieldText.Support) -> Double {
    let read = field.check == false ? codes.unchecked : codes.read
    return read * (support == .labelled ? 1 : codes.unlabelled)
  }

  private static func weight(_ support: FieldText.Support) -> Double {
    switch support {
    case .labelled: 1
    case .form: weights.form
    case .implied: weights.implied
    }
  }
}

extension Reading {
  /// The reading with each field assigned to the serial of its device, at most one of each kind. Fields of no reported
  /// serial stay with the photo.
  package func assigningFields(_ codes: ConfigurationCodes = ConfigurationCodes()) -> Reading {
    var assigned = self
    let all = fields ?? []
    let devices = deviceIndices
    var (ofDevices, rest): ([Int: [FieldRead]], [FieldRead]) = ([:], [])
    for field in all {
      if let device = device(of: field, among: devices) {
        ofDevices[device, default: []].append(field)
      } else {
        rest.append(field)
      }
    }
    for index in assigned.serials.indices {
      let own = FieldVote.told(of: ofDevices[index] ?? [])
      assigned.serials[index].fields = own
      if let note = Self.contradiction(between: assigned.serials[index].serial, and: own, codes) {
        assigned.notes.append(note)
      }
    }
    assigned.fields = FieldVote.told(of: rest)
    return assigned
  }

  /// The serials that are separate devices: the first, and the ones at other places if there are several devices.
  private var deviceIndices: [Int] {
    let hasOthers = isOfEverySerial == true || (topSerial?.doubts ?? []).contains(.otherDevice)
    guard hasOthers else { return serials.isEmpty ? [] : [0] }
    return serials.indices.distinct { serials[$0].sharesPlace(with: serials[$1]) }
  }

  /// The greatest ratio of the distances to the nearest and the next serial. Fields halfway between two devices belong
  /// to neither.
  private static let clearlyNearer = 0.6
  /// The greatest distance of a field from the middle of its serial's row, in halves of the serial's height.
  private static let rowTolerance = 0.7

  /// The serial next to a field; nil if that is ambiguous.
  private func device(of field: FieldRead, among devices: [Int]) -> Int? {
    guard devices.count > 1 else { return devices.first }
    guard let box = field.region.flatMap(PrintedBox.init) else { return nil }
    let boxes = devices.map { index in (index, serials[index].allPlaces.compactMap(PrintedBox.init)) }
    // In a table, a field belongs to the serial of its row.
    let inRow = boxes.filter { _, places in
      places.contains { place in
        let offset = place.offset(of: box.middle)
        return abs(offset.across) < Self.rowTolerance * place.half.across
      }
    }
    if inRow.count == 1 { return inRow[0].0 }
    let ways = boxes.compactMap { index, places in places.map { $0.gap(to: box) }.min().map { (index, $0) } }
      .sorted { $0.1 < $1.1 }
    guard let nearest = ways.first, ways.count > 1 else { return nil }
    return nearest.1 < Self.clearlyNearer * ways[1].1 ? nearest.0 : nil
  }

  /// A note if a serial's configuration code is known to belong to another model than the one next to it.
  private static func contradiction(
    between serial: String, and fields: [FieldRead], _ codes: ConfigurationCodes
  ) -> String? {
    guard let model = fields.first(where: { $0.kind == .modelNumber && $0.confidence >= leastOfContradiction }),
      let parsed = SerialNumber(serial), let code = parsed.meaning?.configurationCode
    else { return nil }
    guard codes.agreement(of: parsed, withModel: model.text) == .contradicts else { return nil }
    let known = codes.models(of: parsed).sorted().joined(separator: ", ")
    return "The configuration code \(code) of \(serial) belongs to \(known), but the photo shows model \(model.text)."
  }

  /// The confidence, 0...1, from which a model number contradicts a configuration code.
  static let leastOfContradiction = 0.9
}

/// Picks one value of each kind of field from all readings.
enum FieldVote {
  /// A value and the evidence for it.
  private struct Value {
    var field: FieldRead
    var boxes: [PrintedBox]
    /// The probability that all its readings are wrong.
    var doubt: Double
  }

  /// The greatest confidence of a field, 0...1.
  private static let most = 0.999
  /// What a value loses to another one of its kind, as a share of that one's confidence.
  private static let doubtOfRival = 0.5

  /// The chosen value of each kind, in the order of the kinds.
  static func told(of fields: [FieldRead]) -> [FieldRead] {
    DeviceField.Kind.allCases.compactMap { kind in chosen(among: fields.filter { $0.kind == kind }) }
  }

  /// The value to tell among readings of one kind.
  private static func chosen(among fields: [FieldRead]) -> FieldRead? {
    var values: [Value] = []
    for field in fields.sorted(by: { $0.confidence > $1.confidence }) {
      let box = field.region.flatMap(PrintedBox.init)
      guard let same = values.firstIndex(where: { $0.field.text == field.text }) else {
        values.append(Value(field: field, boxes: [box].compactMap(\.self), doubt: 1 - field.confidence))
        continue
      }
      // Repeated readings of the same print make the same errors, so only the most confident reading of each place
      // counts.
      guard let box, !values[same].boxes.contains(where: { $0.isOneLine(with: box) }) else { continue }
      values[same].boxes.append(box)
      values[same].doubt *= 1 - field.confidence
    }
    // Valid check digits are stronger evidence than clear print.
    let ranked = values.sorted { rank($0) > rank($1) }
    guard var best = ranked.first else { return nil }
    var confidence = min(most, 1 - best.doubt)
    for rival in ranked.dropFirst() where !(best.field.check == true && rival.field.check != true) {
      confidence *= 1 - doubtOfRival * (1 - rival.doubt)
      if rival.field.check == true { best.field.check = nil }
    }
    best.field.confidence = confidence
    return best.field
  }

  private static func rank(_ value: Value) -> Double { (value.field.check == true ? 1 : 0) + 1 - value.doubt }
}

extension FieldRead {
  /// Converts the field's region from the read area of a photo to the whole photo.
  func placed(in photo: Photo) -> FieldRead {
    var placed = self
    placed.region = region.map(photo.placed)
    return placed
  }
}
