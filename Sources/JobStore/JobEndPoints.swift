import Support

extension JobEnd {
  /// The fault points before and after the commit that ends a job with this state.
  package var points: (written: FaultPoint, committed: FaultPoint) {
    if state == .completed { return (.completing, .completed) }
    return reading == nil ? (.failing, .failed) : (.refusing, .refused)
  }
}
