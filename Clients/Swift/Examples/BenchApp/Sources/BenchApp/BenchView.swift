// SwiftUI and AVFoundation don't exist on Linux, so the files of this target are compiled only on Apple platforms.
#if canImport(SwiftUI)
  import BenchModels
  import Security
  import SerialScanClient
  import SwiftUI

  /// The whole app. An Xcode project needs only
  /// `@main struct MyApp: App { var body: some Scene { WindowGroup { BenchView() } } }` and a text for
  /// `NSCameraUsageDescription`.
  public struct BenchView: View {
    @AppStorage("address") private var address = "http://localhost:8000"
    @AppStorage("deviceType") private var deviceType = ""
    @State private var settings = SettingsModel()
    @State private var bench: Bench?
    @State private var problem: String?

    /// Creates the app's view.
    public init() {}

    /// The tabs, or the settings until they are valid.
    public var body: some View {
      Group {
        if let bench {
          TabView {
            CaptureView(photos: bench.photos, live: bench.live, deviceType: settings.deviceType)
              .tabItem { Label("Scan", systemImage: "camera") }
            PhotosView(photos: bench.photos).tabItem { Label("Photos", systemImage: "list.bullet") }
            ReviewView(review: bench.review).tabItem { Label("Review", systemImage: "checkmark.circle") }
              .badge(bench.review.count)
            SettingsView(settings: settings, save: save).tabItem { Label("Settings", systemImage: "gear") }
          }
          .task(id: bench.id) { await bench.photos.observe() }
        } else {
          SettingsView(settings: settings, save: save)
        }
      }
      .task {
        settings.address = address
        settings.key = Keychain.key ?? ""
        settings.deviceType = deviceType.isEmpty ? nil : deviceType
        if Keychain.key != nil || address != "http://localhost:8000" { await save() }
      }
      .alert("The outbox can't be opened", isPresented: .constant(problem != nil)) {
        Button("Try again") { Task { await save() } }
      } message: {
        Text(problem ?? "")
      }
    }

    @MainActor private func save() async {
      address = settings.address
      deviceType = settings.deviceType ?? ""
      Keychain.key = settings.key.isEmpty ? nil : settings.key
      guard let client = settings.client else { return }
      do {
        if let bench { await bench.outbox.stop() }
        // One outbox for the app's lifetime, because it locks its folder.
        let outbox = try bench?.outbox ?? Outbox(folder: Bench.folder, client: client)
        await outbox.use(client)
        bench = Bench(outbox: outbox, client: client)
        problem = nil
      } catch { problem = error.localizedDescription }
    }
  }

  /// The objects of one server.
  @MainActor struct Bench {
    let id = UUID()
    let outbox: Outbox
    let photos: PhotosModel
    let review: ReviewModel
    let live: LiveModel

    static let folder = URL.applicationSupportDirectory.appending(path: "Outbox", directoryHint: .isDirectory)

    init(outbox: Outbox, client: SerialScanClient) {
      self.outbox = outbox
      photos = PhotosModel(outbox: outbox, server: client)
      review = ReviewModel(photos: photos, server: client)
      live = LiveModel { TrackingSession(client: client, readsSerials: true) }
    }
  }

  /// Stores the API key.
  enum Keychain {
    private static let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "SerialScan"]

    static var key: String? {
      get {
        var found: CFTypeRef?
        let asking = query.merging([kSecReturnData: true]) { $1 } as CFDictionary
        guard SecItemCopyMatching(asking, &found) == errSecSuccess, let data = found as? Data else { return nil }
        return String(data: data, encoding: .utf8)
      }
      set {
        SecItemDelete(query as CFDictionary)
        guard let newValue else { return }
        SecItemAdd(query.merging([kSecValueData: Data(newValue.utf8)]) { $1 } as CFDictionary, nil)
      }
    }
  }
#endif
