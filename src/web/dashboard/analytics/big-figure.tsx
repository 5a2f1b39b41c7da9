/** The number that a chart comes to. */
export const BigFigure = ({ value, note }: { readonly value: string; readonly note: string }) => (
  <>
    <b class="amount">{value}</b>
    <span class="line quiet">{note}</span>
  </>
)
