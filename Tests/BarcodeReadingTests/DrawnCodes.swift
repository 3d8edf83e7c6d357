import Imaging

/// Codes drawn for the tests, dark on light with a quiet zone.
enum DrawnCodes {
  /// `C02ZK1ABMD6N` as a version 1 QR code.
  static let serialQR = matrix(
    [
      "#######.#.##..#######", "#.....#...#...#.....#", "#.###.#.#####.#.###.#", "#.###.#.##....#.###.#",
      "#.###.#...###.#.###.#", "#.....#.#####.#.....#", "#######.#.#.#.#######", "........#####........",
      ".#.#.####..#####.##.#", ".#.#.#.###.#...###.#.", "...#.####....##...#..", "#.#.##.#.#.#.#..###.#",
      "##..#.#.###......#..#", "........#..#...#.##.#", "#######.#.###..#.#...", "#.....#.######..#.###",
      "#.###.#......##.#...#", "#.###.#.#.##...##..##", "#.###.#...#.#..####.#", "#.....#.#.#..###....#",
      "#######..#.##..#.##..",
    ])

  /// `Номер: C02ZK1ABMD6N` in UTF-8 as a version 2 QR code.
  static let cyrillicQR = matrix(
    [
      "#######..###.#..#.#######", "#.....#.#.##....#.#.....#", "#.###.#.####..#...#.###.#",
      "#.###.#.#.#.#..##.#.###.#", "#.###.#..#.#...##.#.###.#", "#.....#...#.......#.....#",
      "#######.#.#.#.#.#.#######", "........####..##.........", "#.....#.##.##.#.###..###.",
      "##.#.#.#..###.#...#...###", "#..#.####.#.##.#..##.#.#.", ".###...##..##..#..#...###",
      "##.#.##.######.#.##.#....", "#.##...#.#...#.#.#.######", "#.#.#.####.##.##...#.##..",
      "#.#.##...###....#..###..#", "#....##.#.###.#######...#", "........#...#..##...#..##",
      "#######..#.###..#.#.###..", "#.....#..##.#...#...#.#.#", "#.###.#..##.##.######.#..",
      "#.###.#..##.#..#..##.#.##", "#.###.#.....####....##..#", "#.....#..#.#......#..##.#",
      "#######.#.#.##..#####.#.#",
    ])

  /// `C02ZK1ABMD6N` as a Data Matrix of 16 x 16 modules.
  static let dataMatrix = matrix(
    [
      "#.#.#.#.#.#.#.#.", "#.######..#.#.##", "##..#.###....##.", "##.....#.#....##", "#..###..#..##...",
      "#..###..##..####", "##..#......#.#..", "##.##..###...###", "#######.#..####.", "#####.######..##",
      "##.##..###.#.#..", "##..#..###..##.#", "#.##...###..##..", "##...#.##.#.##.#", "###.##..##.##.#.",
      "################",
    ])

  /// A text in Code 39 (ISO/IEC 16388), with modules of `module` pixels and wide elements of three.
  static func code39(_ text: String, module: Int = 2, height: Int = 60) -> GrayPicture {
    let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. *".utf8)
    var modules = [Bool](repeating: false, count: 12)
    for character in "*\(text)*".utf8 {
      guard let index = alphabet.firstIndex(of: character) else { continue }
      for (place, isWide) in code39Elements[index].utf8.map({ $0 == UInt8(ascii: "1") }).enumerated() {
        modules += [Bool](repeating: place % 2 == 0, count: isWide ? 3 : 1)
      }
      modules.append(false)
    }
    return bars(modules + [Bool](repeating: false, count: 12), module: module, height: height)
  }

  /// Nine elements for each character, bars and spaces alternating; `1` is a wide one.
  private static let code39Elements = """
    000110100 100100001 001100001 101100000 000110001 100110000 001110000 000100101 100100100 001100100 100001001 \
    001001001 101001000 000011001 100011000 001011000 000001101 100001100 001001100 000011100 100000011 001000011 \
    101000010 000010011 100010010 001010010 000000111 100000110 001000110 000010110 110000001 011000001 111000000 \
    010010001 110010000 011010000 010000101 110000100 011000100 010010100
    """.split(separator: " ").map(String.init)

  /// A text in Code 128, code set B (ISO/IEC 15417), with modules of `module` pixels; `~` is the character FNC1.
  static func code128(_ text: String, module: Int = 2, height: Int = 60) -> GrayPicture {
    let values = text.utf8.map { $0 == UInt8(ascii: "~") ? 102 : Int($0) - 32 }
    let check = values.enumerated().reduce(104) { $0 + ($1.offset + 1) * $1.element } % 103
    var modules = [Bool](repeating: false, count: 12)
    for symbol in [104] + values + [check, 106] {
      for (index, width) in widths[symbol].utf8.enumerated() {
        modules += [Bool](repeating: index % 2 == 0, count: Int(width) - 48)
      }
    }
    return bars(modules + [Bool](repeating: false, count: 12), module: module, height: height)
  }

  private static func bars(_ modules: [Bool], module: Int, height: Int) -> GrayPicture {
    let margin = 10
    return GrayPicture(width: modules.count * module, height: height + 2 * margin) { out in
      for y in 0..<height + 2 * margin {
        for x in 0..<modules.count * module {
          let isBar = modules[x / module] && (margin..<margin + height).contains(y)
          out[y * modules.count * module + x] = isBar ? 20 : 235
        }
      }
    }
  }

  /// Puts pictures side by side on one light picture of the given size, each at its place.
  static func sheet(width: Int, height: Int, _ parts: [(picture: GrayPicture, x: Int, y: Int)]) -> GrayPicture {
    laid(parts, on: GrayPicture(width: width, height: height, gray: 235))
  }

  /// Puts pictures on another one, each at its place.
  static func laid(_ parts: [(picture: GrayPicture, x: Int, y: Int)], on ground: GrayPicture) -> GrayPicture {
    var pixels = ground.pixels
    for part in parts {
      for y in 0..<part.picture.height {
        for x in 0..<part.picture.width { pixels[(part.y + y) * ground.width + part.x + x] = part.picture[x, y] }
      }
    }
    return GrayPicture(width: ground.width, height: ground.height, pixels: pixels)
  }

  private static func matrix(_ rows: [String], module: Int = 4) -> GrayPicture {
    let cells = rows.map { Array($0.utf8) }
    let side = (cells.count + 8) * module
    return GrayPicture(width: side, height: side) { out in
      for y in 0..<side {
        for x in 0..<side {
          let (row, column) = (y / module - 4, x / module - 4)
          let isInside = cells.indices.contains(row) && cells.indices.contains(column)
          out[y * side + x] = isInside && cells[row][column] == UInt8(ascii: "#") ? 20 : 235
        }
      }
    }
  }

  /// Widths of bars and spaces by symbol value.
  private static let widths = """
    212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 \
    123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 \
    232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 \
    313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 \
    111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 \
    111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 \
    114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112
    """.split(separator: " ").map(String.init)
}
