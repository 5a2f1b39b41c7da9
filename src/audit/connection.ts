import { connect } from '../postgres/connect.ts'

/** An audit runs so many of its queries in parallel: of two cores one would be idle. */
export const PARALLEL = 2

/** For sorts of millions of rows, and without compiled plans, which take longer to make than they save. */
export const connectForAudit = (url: string) =>
  connect(url, { max: PARALLEL, name: 'paymachine audit', session: { work_mem: "'64MB'", jit: 'off' } })
