function render({ model, el }) {
  return KINDS[model.get("kind")]({ model, el });
}

export default { render };
