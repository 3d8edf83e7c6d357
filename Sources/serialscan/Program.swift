import Commands

@main struct Program {
  static func main() async {
    await SerialScan.main()
  }
}
