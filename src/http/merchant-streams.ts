import type { Services } from '../actors/services.ts'
import { areStillMembers, findChangesBegin, findChangesEnd, readChanges } from '../queries/changes.ts'
import { type ChangeStreams, openChangeStreams } from './change-streams.ts'

/** The streams of members of a process. */
export const openMerchantStreams = ({ sql, log }: Pick<Services, 'sql' | 'log'>): ChangeStreams =>
  openChangeStreams({
    log,
    read: (places, limit) => readChanges(sql, places, limit),
    findEnd: () => findChangesEnd(sql),
    findBegin: () => findChangesBegin(sql),
    areStillMembers: readers => areStillMembers(sql, readers),
  })
