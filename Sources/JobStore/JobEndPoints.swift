import Support

extension JobEnd {
  /// The fault points before and after the commit that ends a job so.
  package var points: (written: FaultPoint, committed: FaultPoint) {
    if state == .completed { return (.completing, .completed) }
    return reading == nil ? (.failing, .failed) : (.refusing, .refused)
  }
}
