import { connect } from '../postgres/connect.ts'

/** Number of queries that an audit runs in parallel, so that it uses two cores. */
export const PARALLEL = 2

/** More `work_mem` for sorts of millions of rows. No JIT: compiling the plans takes longer than it saves. */
export const connectForAudit = (url: string) =>
  connect(url, { max: PARALLEL, name: 'paymachine audit', session: { work_mem: "'64MB'", jit: 'off' } })
