terraform {
  backend "http" {}
}

variable "zone" {
  type = string
}

variable "web_address" {
  type = string
}

resource "terraform_data" "record" {
  input = { name = "www.${var.zone}", address = var.web_address }
}
