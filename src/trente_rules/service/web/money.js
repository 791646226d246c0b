/**
 * Amounts of money: whole units of the house, written in its currency and in the page's language.
 */

/**
 * @typedef {object} Money
 * @property {string} currency
 * @property {(units: number) => string} format       `12.50 EUR`, `1,000 EUR`
 * @property {(units: number) => string} signed       with + or −; zero has neither
 * @property {(units: number) => string} face         the short text on a chip: `50`, `2.5k`
 * @property {(part: number, whole: number) => string} percent
 * @property {(text: string) => number | null} parse  units, null where the text is no amount
 */

const MINUS = "\u2212";

/**
 * Return the money of a house, in a language.
 * @param {{currency: string, unit: string, decimals?: number}} facts `unit` is what one unit is
 *   worth, as a decimal of the currency
 * @param {string} language
 * @returns {Money}
 */
export function createMoney(facts, language) {
  const worth = Number(facts.unit);
  const decimals = facts.decimals ?? (facts.unit.split(".")[1] ?? "").length;
  const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
  const parts = new Intl.NumberFormat(language, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  const rates = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 });
  const short = new Intl.NumberFormat(language, { maximumFractionDigits: 2, useGrouping: false });
  const signs = new Intl.NumberFormat(language).formatToParts(1234567.5);
  const sign = (/** @type {string} */ type) => signs.find((part) => part.type === type)?.value ?? "";
  const [point, group] = [sign("decimal") || ".", sign("group")];
  const grouped = new RegExp(`^[1-9]\\d{0,2}(?:[${group}]\\d{3})+(?:[${point}]\\d+)?$`);

  /** An amount with a point and no groups, or the text where it is no amount. @param {string} text */
  const plainly = (text) => {
    const typed = text.replace(/[\s\u00a0']/g, "");
    // A sign between thousands is never a decimal point: "12.000" is twelve thousand in German.
    if (!/[.,]/.test(group) || !typed.includes(group)) return typed.replace(point, ".");
    return grouped.test(typed) ? typed.replaceAll(group, "").replace(point, ".") : typed;
  };

  /** @param {number} units */
  const digits = (units) => {
    const amount = Math.abs(units) * worth;
    return (Number.isInteger(Number(amount.toFixed(decimals))) ? whole : parts).format(amount);
  };
  return {
    currency: facts.currency,
    format: (units) => `${units < 0 ? MINUS : ""}${digits(units)}\u00a0${facts.currency}`,
    signed: (units) => {
      const sign = units > 0 ? "+" : units < 0 ? MINUS : "";
      return `${sign}${digits(units)}\u00a0${facts.currency}`;
    },
    face: (units) => {
      const amount = Number((units * worth).toFixed(decimals));
      if (amount >= 1e6) return `${short.format(amount / 1e6)}M`;
      if (amount >= 1e4 || (amount >= 1000 && amount % 100 === 0)) {
        return `${short.format(amount / 1000)}k`;
      }
      return short.format(amount);
    },
    percent: (part, of) => rates.format(of === 0 ? 0 : part / of),
    parse: (text) => {
      const plain = plainly(text);
      if (!/^\d+(\.\d+)?$/.test(plain)) return null;
      const units = Math.round(Number(plain) / worth);
      return Math.abs(units * worth - Number(plain)) < worth / 1e3 ? units : null;
    },
  };
}
