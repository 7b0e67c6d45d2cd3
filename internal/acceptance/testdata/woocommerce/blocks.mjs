// Draws the plug-in's part of the checkout that is made of blocks, with a place of React that keeps elements as they are.
import { readFileSync } from "node:fs";
import vm from "node:vm";

const [script, data] = process.argv.slice(2).map((name) => readFileSync(name, "utf8"));
let method, setup;
const element = {
  createElement: (type, props, ...children) =>
    typeof type === "function" ? type({ ...props, ...place }) : { type, props, children: children.flat() },
  useState: (first) => [first, () => {}],
  useEffect: (run) => run(),
};
const place = {
  eventRegistration: { onPaymentSetup: (handler) => (setup = handler) },
  emitResponse: { responseTypes: { SUCCESS: "success" } },
};
const window = {
  wc: {
    wcBlocksRegistry: { registerPaymentMethod: (given) => (method = given) },
    wcSettings: { getSetting: (name) => (name === "payment_gateway_data" ? JSON.parse(data) : undefined) },
  },
  wp: { element },
};
vm.runInNewContext(script, { window });
const choices = method.content.children.filter(({ type }) => type === "label");
const offered = choices.map(({ children }) => children[0].props.value);
const { payment_gateway_method: chosen } = setup().meta.paymentMethodData;
console.log(`${method.name} offers ${method.canMakePayment() && offered.join(" ")}, sends ${chosen}`);
