import type { Translated } from '../../locale.ts'
import type { plansEn } from './en.ts'

/** The texts of the pages of plans in German. */
export const plansDe: Translated<typeof plansEn> = {
  title: 'Abopläne',
  one: 'Aboplan',
  what: 'Preise, die sich wiederholen. Kunden abonnieren einen Plan und bekommen für jeden Zeitraum eine Rechnung.',
  create: 'Neuer Aboplan',
  search: 'Abopläne suchen',
  find: 'Nach Plan filtern',
  any: 'Alle Pläne',
  searchHint: 'Anfang der Bezeichnung oder Referenz',
  status: 'Zustand',
  list: 'Abopläne, neueste zuerst',
  name: 'Bezeichnung',
  reference: 'Referenz',
  subscriptions: 'Abos',
  created: 'Angelegt',
  price: 'Preis',
  states: { active: 'Aktiv', archived: 'Archiviert' },
  per: {
    day: count => (count === 1 ? 'pro Tag' : `alle ${count} Tage`),
    week: count => (count === 1 ? 'pro Woche' : `alle ${count} Wochen`),
    month: count => (count === 1 ? 'pro Monat' : `alle ${count} Monate`),
    year: count => (count === 1 ? 'pro Jahr' : `alle ${count} Jahre`),
  },
  emptyTitle: 'Noch keine Abopläne',
  emptyWhat:
    'Ein Aboplan ist ein Preis, der sich wiederholt, etwa 9,99 pro Monat. Er hat eine Seite, auf der Kunden ihn abonnieren, und jedes Abo bekommt für jeden Zeitraum eine Rechnung.',
  open: 'Seite des Plans öffnen',
  share: 'Teilen',
  shareWhat: 'Auf dieser Seite abonnieren Kunden den Plan. Senden Sie die Adresse, oder setzen Sie sie auf Ihre Seite.',
  shareArchived: 'Der Plan ist archiviert. Niemand kann ihn mehr abonnieren.',
  perPeriod: 'Für jeden Zeitraum',
  terms: 'Bedingungen',
  details: 'Einzelheiten',
  id: 'Kennung',
  description: 'Beschreibung',
  activeCount: count => `${count} nicht beendet`,
  allSubscriptions: 'Alle Abos dieses Plans',
  sentences: {
    pays: price => `Der Kunde zahlt ${price}.`,
    free: 'Es ist nichts zu bezahlen.',
    trial: days =>
      days === 1
        ? 'Der erste Tag ist kostenlos. Die Probezeit beginnt sofort.'
        : `Die ersten ${days} Tage sind kostenlos. Die Probezeit beginnt sofort.`,
    on_payment: 'Es beginnt, wenn die erste Rechnung bezahlt ist. Der Kunde hat dafür 7 Tage.',
    immediate: 'Es beginnt sofort. Die erste Rechnung ist fällig, wie es in den Rechnungseinstellungen steht.',
    lead: days =>
      days === 0
        ? 'Die Rechnung eines Zeitraums wird ausgestellt und fällig, wenn er beginnt.'
        : days === 1
          ? 'Die Rechnung eines Zeitraums wird 1 Tag vor seinem Beginn ausgestellt und ist zu seinem Beginn fällig.'
          : `Die Rechnung eines Zeitraums wird ${days} Tage vor seinem Beginn ausgestellt und ist zu seinem Beginn fällig.`,
    grace: {
      cancel: days =>
        days === 0
          ? 'Ist sie dann nicht bezahlt, wird das Abo sofort gekündigt und die Rechnung storniert.'
          : days === 1
            ? 'Ist sie dann nicht bezahlt, behält der Kunde 1 Tag lang Zugang. Danach wird das Abo gekündigt und die Rechnung storniert.'
            : `Ist sie dann nicht bezahlt, behält der Kunde ${days} Tage lang Zugang. Danach wird das Abo gekündigt und die Rechnung storniert.`,
      pause: days =>
        days === 0
          ? 'Ist sie dann nicht bezahlt, wird das Abo sofort pausiert und die Rechnung storniert.'
          : days === 1
            ? 'Ist sie dann nicht bezahlt, behält der Kunde 1 Tag lang Zugang. Danach wird das Abo pausiert und die Rechnung storniert.'
            : `Ist sie dann nicht bezahlt, behält der Kunde ${days} Tage lang Zugang. Danach wird das Abo pausiert und die Rechnung storniert.`,
    },
    periods: count => (count === 1 ? 'Es endet nach 1 Zeitraum.' : `Es endet nach ${count} Zeiträumen.`),
    endless: 'Es läuft, bis es gekündigt wird.',
    assets: names => `Es kann mit ${names} bezahlt werden.`,
  },
  archive: {
    button: 'Archivieren',
    title: 'Diesen Plan archivieren?',
    what: count =>
      count === 0
        ? 'Seine Seite wird geschlossen, und niemand kann ihn mehr abonnieren. Das lässt sich nicht rückgängig machen.'
        : count === 1
          ? 'Seine Seite wird geschlossen, und niemand kann ihn mehr abonnieren. Das 1 Abo, das er hat, läuft weiter wie bisher. Das lässt sich nicht rückgängig machen.'
          : `Seine Seite wird geschlossen, und niemand kann ihn mehr abonnieren. Die ${count} Abos, die er hat, laufen weiter wie bisher. Das lässt sich nicht rückgängig machen.`,
    no: 'Aktiv lassen',
    done: 'Der Plan ist archiviert',
  },
  edit: {
    button: 'Bearbeiten',
    title: 'Aboplan bearbeiten',
    what: 'Preis und Bedingungen eines Plans ändern sich nie. Legen Sie für andere einen neuen Plan an.',
    no: 'Abbrechen',
    yes: 'Speichern',
    done: 'Aboplan gespeichert',
  },
  form: {
    title: 'Neuer Aboplan',
    what: 'Preis und Bedingungen ändern sich nie. So weiß jeder Kunde, was vereinbart ist.',
    nameHint: 'Kunden sehen sie auf der Seite des Plans, zum Beispiel „Lampe des Monats“.',
    nameEmpty: 'Geben Sie eine Bezeichnung ein.',
    descriptionHint: 'Kunden sehen sie auf der Seite des Plans.',
    interval: 'Länge eines Zeitraums',
    intervalCount: 'Anzahl',
    unit: 'Einheit',
    units: {
      day: count => (count === 1 ? 'Tag' : 'Tage'),
      week: count => (count === 1 ? 'Woche' : 'Wochen'),
      month: count => (count === 1 ? 'Monat' : 'Monate'),
      year: count => (count === 1 ? 'Jahr' : 'Jahre'),
    },
    intervalHint: 'Von 1 bis 12. Zeiträume werden von dem Tag an gezählt, an dem ein Abo beginnt.',
    countWrong: 'Geben Sie eine ganze Zahl von 1 bis 12 ein.',
    trial: 'Kostenlose Probezeit in Tagen',
    trialHint: 'Von 0 bis 730. Bei 0 gibt es keine. Der erste Zeitraum beginnt, wenn die Probezeit endet.',
    trialWrong: 'Geben Sie eine ganze Zahl von 0 bis 730 ein.',
    activation: 'Beginn eines Abos',
    activations: { on_payment: 'Wenn die erste Rechnung bezahlt ist', immediate: 'Sofort' },
    activationsWhat: {
      on_payment: 'Ist sie nach 7 Tagen nicht bezahlt, verfällt das Abo und beginnt nie.',
      immediate: 'Der Kunde hat Zugang, bevor er zahlt. Für Kunden, die Sie kennen.',
    },
    activationTrial: 'Mit einer Probezeit beginnt es immer sofort.',
    grace: 'Nachfrist in Tagen',
    graceHint: (most, usual) =>
      most === 0
        ? 'Wie lange ein Kunde, der nicht bezahlt hat, Zugang behält. Sie muss kürzer als ein Zeitraum sein, hier also 0.'
        : `Wie lange ein Kunde, der nicht bezahlt hat, Zugang behält. Sie muss kürzer als ein Zeitraum sein: von 0 bis ${most}. Wenn leer, ${usual}.`,
    lead: 'Tage von der Rechnung bis zum Zeitraum',
    leadHint: (most, usual) =>
      most === 0
        ? 'Wie lange vor ihrem Zeitraum eine Rechnung ausgestellt wird. Das muss kürzer als ein Zeitraum sein, hier also 0.'
        : `Wie lange vor ihrem Zeitraum eine Rechnung ausgestellt wird. Das muss kürzer als ein Zeitraum sein: von 0 bis ${most}. Wenn leer, ${usual}.`,
    daysWrong: most => (most === 0 ? 'Hier ist nur 0 möglich.' : `Geben Sie eine ganze Zahl von 0 bis ${most} ein.`),
    afterGrace: 'Nach der Nachfrist',
    afterGraces: { cancel: 'Das Abo kündigen', pause: 'Das Abo pausieren' },
    afterGracesWhat: {
      cancel: 'Es endet. Der Kunde muss neu abonnieren.',
      pause: 'Es ruht ohne Rechnungen, bis Sie es fortsetzen.',
    },
    more: 'Rechnungen, Zahl der Zeiträume, Assets und mehr',
    maxPeriods: 'Zahl der Zeiträume',
    maxPeriodsHint: 'Von 1 bis 10.000. Ohne Zahl läuft es, bis es gekündigt wird.',
    maxPeriodsWrong: 'Geben Sie eine ganze Zahl von 1 bis 10.000 ein.',
    referenceHint: 'Ihre eigene, etwa eine Kennung in Ihrem Shop. Jeder Plan hat eine andere.',
    referenceTaken: reference => `${reference} gehört schon zu einem anderen Plan. Wählen Sie eine andere Referenz.`,
    usedBy: 'Diesen Plan öffnen',
    summary: 'Was Ihre Kunden vereinbaren',
    summaryName: 'Bezeichnung des Plans',
    submit: price => `Plan für ${price} anlegen`,
    submitUnpriced: 'Plan anlegen',
    cancel: 'Abbrechen',
    done: 'Aboplan angelegt',
  },
}
