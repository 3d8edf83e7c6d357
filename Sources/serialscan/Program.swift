import Commands
import StandardStreams

@main struct Program {
  static func main() async {
    StandardStreams.fillClosed()
    await SerialScan.main()
  }
}
