import Commands
import StandardStreams

@main struct Program {
  static func main() {
    StandardStreams.fillClosed()
    SerialScan.begin()
  }
}
