import Commands
import Support

@main struct Program {
  static func main() {
    StandardStreams.fillClosed()
    SerialScan.begin()
  }
}
