"""What is said of ComfyUI's workflows."""

from __future__ import annotations

from desktop_app.domain.wording.providers import N_

MESSAGES: dict[str, str] = {
    # -- the workflow itself
    "comfyui.no_file": N_(
        "The workflow {file} can't be read ({why}). In ComfyUI, save it with Export (API), and "
        "give its path as the connection's model."
    ),
    "comfyui.no_such_file": N_(
        "There is no file {file}. In ComfyUI, save the workflow with Export (API), and give that "
        "file's path as the connection's model."
    ),
    "comfyui.ui_format": N_(
        "This is a workflow as ComfyUI's window saves it. Save it with Export (API) instead, and "
        "give that file's path as the connection's model."
    ),
    "comfyui.no_workflow": N_(
        "The connection holds no workflow. In ComfyUI, save it with Export (API), and give its "
        "path as the connection's model."
    ),
    "comfyui.no_prompt": N_(
        "The workflow has no text that the prompt could go to. Name an input in the connection's "
        'further JSON, such as "prompt": "6.text".'
    ),
    "comfyui.many_prompts": N_(
        "The prompt could go to several texts of the workflow: {known}. Name one in the "
        'connection\'s further JSON, such as "prompt": "6.text".'
    ),
    "comfyui.no_input": N_("The workflow has no input {input}. It has: {known}."),
    # -- the test of a connection
    "comfyui.no_node": N_(
        "The server does not know these nodes of the workflow: {nodes}. Install them there, or "
        "save another workflow."
    ),
    "comfyui.no_choice": N_(
        "The server has no {value}, which {node} wants as its {input}. It has: {choices}."
    ),
    "comfyui.all_there": N_("The server has all that the workflow needs."),
    "comfyui.prompt_goes": N_("The prompt goes to {input}."),
    "comfyui.seed_goes": N_("Each row gets a new seed: {inputs}."),
    "comfyui.no_seed": N_(
        "The workflow has no seed: rows with the same prompt get the same picture."
    ),
    "comfyui.pictures_go": N_("Reference pictures go to {inputs}, in this order."),
    # -- the row
    "comfyui.no_output": N_(
        "The workflow ran and gave no picture. Does it end in a Save Image node?"
    ),
    "comfyui.file_gone": N_("The picture {file} was made, but is no longer on the server."),
}
