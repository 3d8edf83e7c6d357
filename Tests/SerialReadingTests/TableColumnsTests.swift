import ScanModel
import SerialReading
import Testing

/// Covers: a column's header counts for all rows below it that follow each other, in straight and in leaning columns, and
/// for no other column.
@Suite struct TableColumnsTests {
  /// A value of 150 by 12 pixels.
  private static func value(x: Double, y: Double, capital: Double = 12) -> Sighting {
    Sighting(left: [x, y], right: [x + 150, y], capital: capital, polarity: .dark)
  }

  private static func columns(isOfSerials: Bool = true) -> TableColumns {
    var columns = TableColumns()
    columns.add(value(x: 300, y: 100), isOfSerials: isOfSerials)
    return columns
  }

  @Test(arguments: [true, false])
  func nextRowContinuesTheColumn(isOfSerials: Bool) {
    let columns = Self.columns(isOfSerials: isOfSerials)
    #expect(columns.isOfSerials(Self.value(x: 300, y: 130)) == isOfSerials)
    #expect(columns.isOfSerials(Self.value(x: 304, y: 150)) == isOfSerials)
  }

  @Test func headerCountsForRowsFarBelow() {
    var columns = Self.columns()
    for row in 1..<30 {
      let value = Self.value(x: 300 + 2 * Double(row), y: 100 + 40 * Double(row))
      #expect(columns.isOfSerials(value) == true)
      columns.add(value, isOfSerials: true)
    }
  }

  @Test func otherPlacesContinueNoColumn() {
    let columns = Self.columns()
    #expect(columns.isOfSerials(Self.value(x: 500, y: 130)) == nil)
    #expect(columns.isOfSerials(Self.value(x: 300, y: 70)) == nil)
    #expect(columns.isOfSerials(Self.value(x: 300, y: 100 + 12 * 12)) == nil)
    #expect(columns.isOfSerials(Self.value(x: 300, y: 130, capital: 20)) == nil)
  }

  @Test func nearestRowDecides() {
    var columns = Self.columns()
    columns.add(Self.value(x: 300, y: 130), isOfSerials: false)
    #expect(columns.isOfSerials(Self.value(x: 300, y: 160)) == false)
  }
}
