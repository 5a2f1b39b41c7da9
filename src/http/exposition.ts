/** The text format of Prometheus. */
export type MetricFamily = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

/** `suffix` is appended to the name of the family, such as `_bucket` of a histogram. */
export type Sample = {
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string | number>>
  readonly value: number
}

export const EXPOSITION_TYPE = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }

export const expositionOf = (families: readonly MetricFamily[]): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map(sample => lineOf(name, sample)), ''].join(
        '\n',
      ),
    )
    .join('')

const lineOf = (name: string, { suffix = '', labels = {}, value }: Sample): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(String(text))}"`)
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
