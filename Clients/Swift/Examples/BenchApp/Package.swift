// swift-tools-version: 6.1
import PackageDescription

/// An app for a workbench. Its models use neither UIKit nor SwiftUI and are tested on any system; its views use
/// SwiftUI.
let package = Package(
  name: "BenchApp",
  platforms: [.iOS(.v17), .macOS(.v14)],
  products: [.library(name: "BenchApp", targets: ["BenchApp"])],
  dependencies: [.package(name: "SerialScanClient", path: "../..")],
  targets: [
    .target(name: "BenchModels", dependencies: [.product(name: "SerialScanClient", package: "SerialScanClient")]),
    // Language mode 5: AVFoundation's delegates predate strict concurrency.
    .target(name: "BenchApp", dependencies: ["BenchModels"], swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(name: "BenchModelsTests", dependencies: ["BenchModels"]),
  ]
)
