import { productFields } from "../../../../products/product.resource.ts";
import type { ProductRecord } from "../../api/types.ts";
import { type CommonField, type Editing, FieldError, type FormField, Select } from "../../components/fields.tsx";
import { numberOrText, optionsOf } from "../../components/form_values.ts";
import { words } from "../../text/common.ts";
import { productTexts as texts } from "../../text/products.ts";

type Pack = ProductRecord["packs"][number];
type PackLevel = Pack["level"];

/** A pack as the form edits it. What the form does not show stays as it was. */
interface EditedPack extends Omit<Pack, "quantity" | "barcode"> {
  readonly quantity: string;
  readonly barcode: string;
}

const { level, quantity, barcode } = productFields.packs.of;
const levels = optionsOf(level.words);

/** The packs of a product: what each is, its units and its barcode. */
export const packLines = (common: CommonField): FormField => ({
  ...common,
  kind: "custom",
  first: [],
  entered: (packs: ProductRecord["packs"]) =>
    packs.map((pack) => ({ ...pack, quantity: String(pack.quantity), barcode: pack.barcode ?? "" })),
  sent: (packs: readonly EditedPack[]) =>
    packs.map((pack) => {
      const code = pack.barcode.trim();
      return { ...pack, quantity: numberOrText(pack.quantity), barcode: code === "" ? null : code };
    }),
  render: (editing) => <PackLines {...editing} />,
});

function PackLines({ value, set, problem, id }: Editing) {
  const packs = (value ?? []) as readonly EditedPack[];
  const change = (at: number, part: Partial<EditedPack>) =>
    set(packs.map((pack, index) => (index === at ? { ...pack, ...part } : pack)));
  return (
    <div class="product-lines">
      {packs.map((pack, at) => {
        const wrongAt = (part: string) => problem(`[${at}]${part}`);
        const wrong = ["", ".level", ".quantity", ".barcode"].map(wrongAt).find(Boolean);
        const marked = (part: string) =>
          wrongAt(part) === undefined ? {} : { "aria-invalid": true, "aria-describedby": `${id}-${at}` };
        return (
          // Packs have no names, and two may be equal while they are typed.
          <div key={at} class="pack-line">
            <Select
              aria-label={texts.packField(level.label, at)}
              options={levels}
              value={pack.level}
              onChoose={(chosen) => change(at, { level: chosen as PackLevel })}
            />
            <input
              type="text"
              inputMode="numeric"
              {...marked(".quantity")}
              aria-label={texts.packField(quantity.label, at)}
              placeholder={quantity.label}
              value={pack.quantity}
              onInput={(event) => change(at, { quantity: event.currentTarget.value })}
            />
            <input
              type="text"
              class="mono"
              {...marked(".barcode")}
              aria-label={texts.packField(barcode.label, at)}
              placeholder={barcode.label}
              value={pack.barcode}
              onInput={(event) => change(at, { barcode: event.currentTarget.value })}
            />
            <button
              type="button"
              class="button plain icon-only"
              aria-label={texts.packField(words.remove, at)}
              onClick={() => set(packs.filter((_, index) => index !== at))}
            >
              ×
            </button>
            <FieldError id={`${id}-${at}`} text={wrong} />
          </div>
        );
      })}
      <button
        type="button"
        class="button"
        onClick={() => set([...packs, { level: "case", quantity: "", barcode: "" }])}
      >
        {texts.addPack}
      </button>
      <FieldError text={problem()} />
    </div>
  );
}
