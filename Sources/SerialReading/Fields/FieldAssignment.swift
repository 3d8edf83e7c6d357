import AppleSerial
import ScanModel

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
    return serials.indices.reduce(into: []) { devices, index in
      if !devices.contains(where: { serials[$0].sharesPlace(with: serials[index]) }) { devices.append(index) }
    }
  }

  /// The greatest ratio of the distances to the nearest and the next serial. Fields halfway between two devices belong
  /// to neither.
  private static let clearlyNearer = 0.6

  /// The serial next to a field; nil if that is ambiguous.
  private func device(of field: FieldRead, among devices: [Int]) -> Int? {
    guard devices.count > 1 else { return devices.first }
    guard let box = field.region.flatMap(PrintedBox.init) else { return nil }
    let boxes = devices.map { index in (index, serials[index].allPlaces.compactMap(PrintedBox.init)) }
    // In a table, a field belongs to the serial of its row.
    let inRow = boxes.filter { _, places in
      places.contains { place in
        let offset = place.offset(of: box.middle)
        return abs(offset.across) < 0.7 * place.half.across
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
    DeviceField.Kind.allCases.compactMap { kind in told(of: kind, among: fields.filter { $0.kind == kind }) }
  }

  private static func told(of kind: DeviceField.Kind, among fields: [FieldRead]) -> FieldRead? {
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
