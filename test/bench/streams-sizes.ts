/** Sizes of the parts that all streams have. */
export type SteadySizes = {
  /** Changes that are committed. */
  readonly perSecond: number
  /** How often memory is measured, and how long between. */
  readonly samples: number
  readonly sampleMs: number
}

export type KilledSizes = {
  /** The process is killed while at least as many messages are sent. */
  readonly kills: number
  readonly killedMessages: number
  readonly killedPerSecond: number
}
