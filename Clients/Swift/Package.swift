// swift-tools-version: 6.1
import Foundation
import PackageDescription

/// The client depends only on Foundation. The documentation plugin is resolved only if `SERIALSCAN_DOCS` is set.
let documentation: [Package.Dependency] =
  ProcessInfo.processInfo.environment["SERIALSCAN_DOCS"] == nil
  ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0")]

let package = Package(
  name: "SerialScanClient",
  platforms: [.iOS(.v16), .macOS(.v13)],
  products: [.library(name: "SerialScanClient", targets: ["SerialScanClient"])],
  dependencies: documentation,
  targets: [
    .target(name: "SerialScanClient"),
    .executableTarget(name: "scan-folder", dependencies: ["SerialScanClient"], path: "Examples/scan-folder"),
    // A process that fills and sends an outbox, and kills itself at a step chosen by a test.
    .executableTarget(name: "OutboxSender", dependencies: ["SerialScanClient"], path: "Tests/OutboxSender"),
    .testTarget(
      name: "SerialScanClientTests", dependencies: ["SerialScanClient", "scan-folder", "OutboxSender"]),
  ]
)
