// Compiled only on Apple platforms; see BenchView.swift.
#if canImport(SwiftUI)
  import BenchModels
  import SwiftUI

  /// The photos of this device, latest first.
  struct PhotosView: View {
    @Bindable var photos: PhotosModel

    var body: some View {
      NavigationStack {
        List(photos.rows) { row in
          VStack(alignment: .leading) {
            HStack {
              Text(row.serial ?? "–").font(.body.monospaced())
              Spacer()
              Text(row.status.rawValue).foregroundStyle(color(row.status))
            }
            if let detail = row.detail { Text(detail).font(.caption).foregroundStyle(.secondary) }
          }
          .swipeActions {
            Button("Remove", role: .destructive) { Task { await photos.remove(row) } }
            if row.status == .failed { Button("Retry") { Task { await photos.retry(row) } } }
            if row.status == .reading { Button("Reload") { Task { await photos.reload(row) } } }
          }
        }
        .navigationTitle(photos.summary.isEmpty ? "Photos" : photos.summary)
        .overlay {
          if photos.rows.isEmpty { ContentUnavailableView("No photos yet", systemImage: "camera") }
        }
        .alert("Something went wrong", isPresented: .constant(photos.alert != nil)) {
          Button("OK") { photos.alert = nil }
        } message: {
          Text(photos.alert ?? "")
        }
      }
    }

    private func color(_ status: PhotoRow.Status) -> Color {
      switch status {
      case .accepted: .green
      case .needsReview: .orange
      case .noSerial, .failed: .red
      default: .secondary
      }
    }
  }

  /// A photo that needs review.
  struct ReviewView: View {
    @Bindable var review: ReviewModel

    var body: some View {
      NavigationStack {
        Group {
          if review.current == nil {
            ContentUnavailableView("Nothing to review", systemImage: "checkmark.circle")
          } else {
            form
          }
        }
        .navigationTitle("Review")
        .onAppear { review.begin() }
        .onChange(of: review.count) { review.begin() }
      }
    }

    private var form: some View {
      Form {
        Section("Serial") {
          TextField("Serial", text: $review.serial).font(.title2.monospaced()).autocorrectionDisabled()
          ForEach(Array(review.characters.enumerated()), id: \.offset) { index, character in
            if character.isDoubtful {
              HStack {
                Text("Character \(index + 1): \(character.text)")
                ForEach(character.alternatives, id: \.self) { other in
                  Button(other) { review.replace(characterAt: index, with: other) }.buttonStyle(.bordered)
                }
              }
            }
          }
        }
        Section("Why it needs review") { ForEach(review.doubts, id: \.self) { Text($0) } }
        if let problem = review.problem { Text(problem).foregroundStyle(.red) }
        Button("Confirm") { Task { await review.confirm() } }.disabled(!review.canConfirm)
        Button("Skip") { review.skip() }
      }
    }
  }

  /// The server and the device type.
  struct SettingsView: View {
    @Bindable var settings: SettingsModel
    let save: () async -> Void

    var body: some View {
      NavigationStack {
        Form {
          Section("Server") {
            TextField("https://scanner.example", text: $settings.address).autocorrectionDisabled()
            SecureField("API key", text: $settings.key)
            Button("Connect") {
              Task {
                await settings.connect()
                if case .connected = settings.check { await save() }
              }
            }
            switch settings.check {
            case .none: EmptyView()
            case .running: ProgressView()
            case .connected(let version): Text("Connected, version \(version)").foregroundStyle(.green)
            case .failed(let reason): Text(reason).foregroundStyle(.red)
            }
          }
          Picker("Device", selection: $settings.deviceType) {
            Text("Not specified").tag(String?.none)
            ForEach(SettingsModel.deviceTypes, id: \.self) { Text($0).tag(String?.some($0)) }
          }
          .onChange(of: settings.deviceType) { Task { await save() } }
        }
        .navigationTitle("Settings")
      }
    }
  }

  /// The camera with an overlay of the tracked objects.
  struct CaptureView: View {
    let photos: PhotosModel
    let live: LiveModel
    let deviceType: String?
    #if os(iOS)
      @State private var camera = Camera()
    #endif

    var body: some View {
      #if os(iOS)
        ZStack(alignment: .bottom) {
          GeometryReader { geometry in
            CameraPreview(session: camera.session)
            ForEach(live.shapes) { shape in
              let points = shape.corners.map { CGPoint(x: $0.x * geometry.size.width, y: $0.y * geometry.size.height) }
              Path {
                $0.addLines(points); $0.closeSubpath()
              }
              .stroke(shape.isAccepted ? .green : .orange, lineWidth: 3)
              if let serial = shape.serial, let corner = points.first {
                Text(serial).font(.caption.monospaced()).padding(4).background(.thinMaterial).position(corner)
              }
            }
            Color.clear.contentShape(Rectangle()).onTapGesture { place in
              guard let frame = camera.latestFrame else { return }
              let point = camera.point(x: place.x / geometry.size.width, y: place.y / geometry.size.height)
              Task { await live.tap(frame: frame, at: point) }
            }
          }
          VStack {
            if let problem = live.problem ?? camera.problem { Text(problem).padding().background(.thinMaterial) }
            HStack {
              Button("Scan photo") {
                Task {
                  if let photo = await camera.takePhoto() { await photos.add(photo: photo, deviceType: deviceType) }
                }
              }
              .buttonStyle(.borderedProminent)
              if live.isTracking { Button("Reset") { Task { await live.reset() } }.buttonStyle(.bordered) }
            }
            .padding()
          }
        }
        .task {
          await camera.start()
          for await frame in camera.frames() { Task { await live.show(frame: frame) } }
        }
        .onDisappear { camera.stop() }
      #else
        ContentUnavailableView("Scanning needs an iPhone or iPad", systemImage: "camera")
      #endif
    }
  }
#endif
