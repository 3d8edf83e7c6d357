import AppleSerial
import ScanModel

extension Reading {
  /// The reading with each field at the serial in whose device's print it stands, once of each kind; what belongs to no serial that
  /// is told stays with the photo.
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

  /// The serials that are devices of their own: the first one, and where there are several, those at other places.
  private var deviceIndices: [Int] {
    let hasOthers = isOfEverySerial == true || (topSerial?.doubts ?? []).contains(.otherDevice)
    guard hasOthers else { return serials.isEmpty ? [] : [0] }
    return serials.indices.reduce(into: []) { devices, index in
      if !devices.contains(where: { serials[$0].sharesPlace(with: serials[index]) }) { devices.append(index) }
    }
  }

  /// How much nearer the next serial must be than any other: what stands between two devices is neither's.
  private static let clearlyNearer = 0.6

  /// The serial beside which a field stands; nil where that is not clear.
  private func device(of field: FieldRead, among devices: [Int]) -> Int? {
    guard devices.count > 1 else { return devices.first }
    guard let box = field.region.flatMap(PrintedBox.init) else { return nil }
    let boxes = devices.map { index in (index, serials[index].allPlaces.compactMap(PrintedBox.init)) }
    // In a table, what stands in a serial's row.
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

  /// Says so where a serial's configuration code is known to belong to another model than the one beside it.
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

  /// Confidence of a model number from which it contradicts a code, 0...1.
  static let leastOfContradiction = 0.9
}

/// Of every kind of field one value, from all readings.
enum FieldVote {
  /// A value, and what speaks for it.
  private struct Value {
    var field: FieldRead
    var boxes: [PrintedBox]
    /// Probability that all its readings are wrong.
    var doubt: Double
  }

  /// The most certain value of a field, 0...1.
  private static let most = 0.999
  /// What a value loses by another one of its kind, as a share of that one's confidence.
  private static let doubtOfRival = 0.5

  /// The value of each kind, in the order of the kinds.
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
      // The same print read again errs alike: the surest reading of each place counts.
      guard let box, !values[same].boxes.contains(where: { $0.isOneLine(with: box) }) else { continue }
      values[same].boxes.append(box)
      values[same].doubt *= 1 - field.confidence
    }
    // Check digits that hold say more than how clear the print is.
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
  /// The same in the whole photo, given one in what is read of it.
  func placed(in photo: Photo) -> FieldRead {
    var placed = self
    placed.region = region.map(photo.placed)
    return placed
  }
}
