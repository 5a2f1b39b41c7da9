import { Combobox } from '../../parts/combobox.tsx'
import { useReader } from '../../parts/reader.ts'
import { formatsOf } from '../../text/format.ts'
import { timeZones } from './time-zones.ts'

type TimeZoneFieldProps = {
  readonly label: string
  readonly hint: string
  readonly error: string | undefined
  /** What is saved: all zones are offered as long as the field contains it. */
  readonly saved: string
  readonly value: string
  readonly onValue: (value: string) => void
}

/** Each of them is shown with the time there. */
const OFFERED = 30

/** A time zone, by a part of its name, such as that of its city. */
export const TimeZoneField = ({ label, hint, error, saved, value, onValue }: TimeZoneFieldProps) => {
  const { locale, now } = useReader()
  const part = value === saved ? '' : value.trim().replaceAll(' ', '_').toLowerCase()
  const fitting = timeZones().filter(name => name.toLowerCase().includes(part))
  return (
    <Combobox
      label={label}
      hint={hint}
      error={error}
      maxLength={64}
      text={value}
      onText={onValue}
      options={fitting.slice(0, OFFERED).map(name => ({
        ...{ key: name, label: name },
        detail: formatsOf(locale, name).time(now.value),
      }))}
      onSelect={({ key }) => onValue(key)}
    />
  )
}
