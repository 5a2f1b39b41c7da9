import type { OpsAudit } from '../../api/ops-calls.ts'
import { Badge, type BadgeTone } from '../../parts/badge.tsx'
import type { StateShape } from '../../parts/state-mark.tsx'
import { useOpsTexts } from '../shell/texts.ts'

const looks: Readonly<Record<OpsAudit['status'], readonly [StateShape, BadgeTone]>> = {
  running: ['now', 'info'],
  clean: ['done', 'good'],
  findings: ['bad', 'bad'],
  failed: ['warn', 'warn'],
}

/** The result of a run, or of one of its checks. */
export const AuditBadge = ({ status }: Pick<OpsAudit, 'status'>) => {
  const { audits: texts } = useOpsTexts()
  const [shape, tone] = looks[status]
  return (
    <Badge shape={shape} tone={tone}>
      {texts.states[status]}
    </Badge>
  )
}
